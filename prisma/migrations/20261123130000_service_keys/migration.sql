-- Keys that all processes of a service share: what signs the addresses of previews. Made when one is first needed.
CREATE TABLE service_key (
    name TEXT NOT NULL,
    key BYTEA NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT service_key_pkey PRIMARY KEY (name)
);
