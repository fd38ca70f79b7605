<?php
// Installs the site of lab course unless it is there, and gives it its title, administrator and posts. Written by benchtop.
declare(strict_types=1);

const HOST = 'www.example.org';
const PATH = '/wordpress';
const TITLE = 'A site under load';
const USER = 'admin';
const POSTS = 20;
const SLUG = 'benchtop-';

/** WordPress ends with status 0 even when it gives up: only reaching the last line counts. */
$reached_the_end = false;
register_shutdown_function(static function () use (&$reached_the_end): void {
    if (!$reached_the_end) {
        fwrite(STDERR, "\nthe site was not installed\n");
        exit(1);
    }
});

/** Nobody is told about a new site. */
function wp_new_blog_notification(): void
{
}

/** A category and nothing else: the usual first post would bear the date of the installation. */
function wp_install_defaults(int $user): void
{
    global $wpdb;
    $wpdb->insert($wpdb->terms, ['term_id' => 1, 'name' => 'Uncategorized', 'slug' => 'uncategorized', 'term_group' => 0]);
    $wpdb->insert($wpdb->term_taxonomy, ['term_id' => 1, 'taxonomy' => 'category', 'description' => '', 'parent' => 0, 'count' => 0]);
}

/** Text that depends on the draws alone. */
function sentence(): string
{
    $words = ['balancer', 'request', 'answer', 'server', 'queue', 'worker', 'cache', 'page', 'client', 'node', 'window',
        'waits', 'serves', 'counts', 'asks', 'grows', 'fails', 'returns', 'slow', 'fast', 'idle', 'busy', 'the', 'a',
        'every', 'another', 'behind', 'before', 'after', 'and', 'but', 'while'];
    $chosen = [];
    for ($left = mt_rand(7, 16); $left > 0; $left--) {
        $chosen[] = $words[mt_rand(0, count($words) - 1)];
    }
    return ucfirst(implode(' ', $chosen)) . '.';
}

function content(): string
{
    $blocks = [];
    for ($paragraphs = mt_rand(3, 6); $paragraphs > 0; $paragraphs--) {
        $sentences = [];
        for ($left = mt_rand(4, 8); $left > 0; $left--) {
            $sentences[] = sentence();
        }
        $blocks[] = "<!-- wp:paragraph -->\n<p>" . implode(' ', $sentences) . "</p>\n<!-- /wp:paragraph -->";
    }
    return implode("\n\n", $blocks);
}

function converge_posts(int $author): void
{
    global $wpdb;
    $query = $wpdb->prepare(
        "SELECT post_name, ID FROM $wpdb->posts WHERE post_type = 'post' AND post_name LIKE %s",
        $wpdb->esc_like(SLUG) . '%'
    );
    $there = array_column($wpdb->get_results($query, ARRAY_A), 'ID', 'post_name');
    $wpdb->query('START TRANSACTION');
    wp_defer_term_counting(true);
    for ($number = 1; $number <= POSTS; $number++) {
        $slug = SLUG . $number;
        if (isset($there[$slug])) {
            unset($there[$slug]);
            continue;
        }
        mt_srand($number);
        $date = gmdate('Y-m-d H:i:s', gmmktime(8, 0, 0, 11, 1, 2021) + $number * 3600);
        $post = ['post_title' => "Post $number", 'post_name' => $slug, 'post_content' => content(), 'post_status' => 'publish',
            'post_author' => $author, 'post_date' => $date, 'post_date_gmt' => $date, 'comment_status' => 'closed'];
        if (is_wp_error($made = wp_insert_post($post, true))) {
            throw new RuntimeException("post $number: " . $made->get_error_message());
        }
    }
    foreach ($there as $surplus) {
        wp_delete_post((int) $surplus, true);
    }
    wp_defer_term_counting(false);
    $wpdb->query('COMMIT');
}

$password = stream_get_contents(STDIN);
$_SERVER['HTTP_HOST'] = HOST;
$_SERVER['REQUEST_URI'] = PATH;
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['REQUEST_METHOD'] = 'GET';
define('WP_INSTALLING', true);
define('WP_IMPORTING', true);
require '/srv/lab/wordpress/site/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
// Not even to itself: the installation would try whether the web server rewrites addresses.
add_filter('pre_http_request', static fn () => new WP_Error('closed', 'nothing leaves the lab'));

// Several nodes may share the database: the first installs, the others wait and find it done.
$lock = substr('benchtop ' . DB_NAME . ' ' . $table_prefix, 0, 64);
if ($wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, 120)', $lock)) !== '1') {
    throw new RuntimeException('another node has been installing the site for two minutes');
}
wp_cache_flush();
if (!is_blog_installed()) {
    wp_install(TITLE, USER, 'admin@example.org', false, '', wp_slash($password !== '' ? $password : wp_generate_password(32)));
}
update_option('blogname', TITLE);
$user = get_user_by('login', USER);
$id = $user ? $user->ID : wp_insert_user(['user_login' => USER, 'user_pass' => $password !== '' ? $password : wp_generate_password(32), 'role' => 'administrator']);
if (is_wp_error($id)) {
    throw new RuntimeException('the administrator: ' . $id->get_error_message());
}
if ($user && $password !== '' && !wp_check_password($password, $user->user_pass, $id)) {
    wp_set_password($password, $id);
}
converge_posts($id);
$wpdb->get_var($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $lock));
$reached_the_end = true;
