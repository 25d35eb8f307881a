-- What all services log in as; none is a superuser. PostgreSQL runs this once, while its volume is empty.
\getenv owner_password POSTGRES_PASSWORD
\getenv password QUORATE_PANEL_PASSWORD
-- All roles are made here, so that the owner needs no right to make any.
CREATE ROLE quorate_reader NOLOGIN;
CREATE ROLE quorate_writer NOLOGIN;
CREATE ROLE quorate_eraser NOLOGIN;
CREATE ROLE quorate_owner LOGIN PASSWORD :'owner_password';
ALTER DATABASE quorate OWNER TO quorate_owner;
CREATE ROLE quorate_panel LOGIN PASSWORD :'password' IN ROLE quorate_writer;
REVOKE ALL ON DATABASE quorate FROM PUBLIC;
-- The queue is in schemas of its own beside the ledger, which the first worker creates.
GRANT CONNECT, CREATE ON DATABASE quorate TO quorate_panel;
-- From now on the superuser logs in on the container's own socket alone.
ALTER ROLE CURRENT_USER PASSWORD NULL;
