-- Read at every start of MariaDB, before it accepts connections: what is there already stays.
CREATE DATABASE IF NOT EXISTS `application` CHARACTER SET utf8mb4;
CREATE USER IF NOT EXISTS 'www-data'@'localhost';
ALTER USER 'www-data'@'localhost' IDENTIFIED VIA unix_socket;
GRANT ALL PRIVILEGES ON `application`.* TO 'www-data'@'localhost';
