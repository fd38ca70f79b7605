-- Read at every start of MariaDB, before it accepts connections: what is there already stays.
CREATE DATABASE IF NOT EXISTS `word_press``2` CHARACTER SET utf8mb4;
CREATE USER IF NOT EXISTS 'o''brien'@'localhost';
ALTER USER 'o''brien'@'localhost' IDENTIFIED BY 'a ''b'' \\ c';
GRANT ALL PRIVILEGES ON `word\_press``2`.* TO 'o''brien'@'localhost';
CREATE USER IF NOT EXISTS 'o''brien'@'%';
ALTER USER 'o''brien'@'%' IDENTIFIED BY 'a ''b'' \\ c';
GRANT ALL PRIVILEGES ON `word\_press``2`.* TO 'o''brien'@'%';
