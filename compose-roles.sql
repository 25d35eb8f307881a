-- What the server and the workers log in as. PostgreSQL runs this once, while its volume is empty.
\getenv password QUORATE_PANEL_PASSWORD
CREATE ROLE quorate_writer NOLOGIN;
CREATE ROLE quorate_panel LOGIN PASSWORD :'password' IN ROLE quorate_writer;
REVOKE ALL ON DATABASE quorate FROM PUBLIC;
-- The queue is in schemas of its own beside the ledger, which the first worker creates.
GRANT CONNECT, CREATE ON DATABASE quorate TO quorate_panel;
