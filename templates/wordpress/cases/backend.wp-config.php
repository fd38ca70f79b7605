<?php
// WordPress of lab course, written by benchtop.
define('DB_HOST', 'localhost:/srv/lab/mariadb/socket/mariadb.sock');
define('DB_NAME', 'application');
define('DB_USER', 'www-data');
define('DB_PASSWORD', '');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'wp_';

define('WP_HOME', 'http://www.example.org/wordpress');
define('WP_SITEURL', WP_HOME);

// The same on every node of the lab, so that a login made at one is good at the others. Worth nothing outside.
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $purpose) {
    define($purpose . '_KEY', hash('sha256', $purpose . ' key of ' . 'course'));
    define($purpose . '_SALT', hash('sha256', $purpose . ' salt of ' . 'course'));
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
