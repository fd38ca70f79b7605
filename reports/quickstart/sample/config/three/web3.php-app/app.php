<?php
// The application of lab quickstart, node web3, written by benchtop.
declare(strict_types=1);

const NODE = 'web3';
const ANSWER = 'page';
const CPU_MS = 0;
const SLEEP_MS = 100;
const SIZE_BYTES = 2048;
const SIZE_SPREAD = 0.0;
const ERRORS = 0.0;

/** CPU time of this process so far, milliseconds. */
function cpu_ms(): float
{
    $used = getrusage();
    return ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1e3
        + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e3;
}

/** Works until the process has used that much more CPU time. */
function burn(float $milliseconds): void
{
    $until = cpu_ms() + $milliseconds;
    $text = NODE;
    while (cpu_ms() < $until) {
        for ($i = 0; $i < 50; $i++) {
            $text = md5($text);
        }
    }
}

/** A draw below the share; a share of 0 never comes true, a share of 1 always. */
function chance(float $share): bool
{
    return mt_rand(0, 999999) < $share * 1000000;
}

function length(): int
{
    $draw = mt_rand(-1000000, 1000000) / 1000000;
    return (int) round(SIZE_BYTES * (1 + SIZE_SPREAD * $draw));
}

function filler(int $length): string
{
    $sentence = 'All work and no play makes a dull benchmark. ';
    return $length <= 0 ? '' : substr(str_repeat($sentence, intdiv($length, strlen($sentence)) + 1), 0, $length);
}

function page(int $length): string
{
    $head = '<!DOCTYPE html><html><head><title>benchtop ' . NODE . '</title></head><body><p>' . NODE . '</p><p>';
    $tail = '</p></body></html>';
    return $head . filler($length - strlen($head) - strlen($tail)) . $tail;
}

function json(int $length): string
{
    $object = '{"benchtop":' . json_encode(NODE);
    $room = $length - strlen($object) - strlen(',"filler":""}');
    // Blanks after an object are JSON too: so short bodies get their exact length.
    return $room >= 0 ? $object . ',"filler":"' . filler($room) . '"}' : str_pad($object . '}', $length);
}

if (CPU_MS > 0) {
    burn(CPU_MS);
}
if (SLEEP_MS > 0) {
    usleep((int) round(SLEEP_MS * 1000));
}
if (chance(ERRORS)) {
    http_response_code(500);
    $type = 'text/plain';
    $body = 'an error as ordered, ' . NODE . "\n";
} elseif (ANSWER === 'json') {
    $type = 'application/json';
    $body = json(length());
} else {
    $type = 'text/html; charset=utf-8';
    $body = page(length());
}
header('Content-Type: ' . $type);
header('Content-Length: ' . strlen($body));
header('X-Benchtop-Node: ' . NODE);
echo $body;
