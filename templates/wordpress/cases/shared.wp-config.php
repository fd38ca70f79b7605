<?php
// WordPress of lab home, written by benchtop.
define('DB_HOST', '127.23.4.9:13306');
define('DB_NAME', 'word_press');
define('DB_USER', 'o\'brien');
define('DB_PASSWORD', 'd \'e\' \\ f');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'blog_';

define('WP_HOME', 'http://www.example.org:8080');
define('WP_SITEURL', WP_HOME);

// The same on every node of the lab, so that a login made at one is good at the others. Worth nothing outside.
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $purpose) {
    define($purpose . '_KEY', hash('sha256', $purpose . ' key of ' . 'home'));
    define($purpose . '_SALT', hash('sha256', $purpose . ' salt of ' . 'home'));
}

// A page must not wait for a network that is not there, and a measured site must not change by itself.
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('DISALLOW_FILE_MODS', true);
define('WP_DEFAULT_THEME', 'twentytwentythree');
define('WP_DEBUG', false);

if (!defined('ABSPATH')) {
    define('ABSPATH', __DIR__ . '/site/');
}
require_once ABSPATH . 'wp-settings.php';
