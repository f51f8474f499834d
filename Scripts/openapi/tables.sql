-- Tables with every type that the three databases share, for Scripts/check-openapi. Rows of ben contain a text that no
-- answer to ada may contain.
CREATE TABLE customers (
    id INTEGER NOT NULL PRIMARY KEY,
    owner VARCHAR(40) NOT NULL,
    name VARCHAR(80) NOT NULL,
    city VARCHAR(80),
    credit VARCHAR(80)
);
CREATE TABLE orders (
    id BIGINT NOT NULL PRIMARY KEY,
    owner VARCHAR(40) NOT NULL,
    customer_id INTEGER REFERENCES customers (id),
    freight DECIMAL(10, 2) NOT NULL DEFAULT 0,
    weight DOUBLE PRECISION,
    placed DATE,
    paid BOOLEAN NOT NULL,
    note VARCHAR(200)
);
CREATE TABLE items (
    order_id BIGINT NOT NULL,
    line INTEGER NOT NULL,
    owner VARCHAR(40) NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (order_id, line)
);
CREATE TABLE countries (
    code VARCHAR(2) NOT NULL PRIMARY KEY,
    name VARCHAR(80) NOT NULL
);
INSERT INTO countries VALUES ('DE', 'Germany'), ('FR', 'France');
INSERT INTO customers VALUES
    (1, 'ada', 'Alfreds', 'Berlin', 'ben-alone'), (2, 'ada', 'Blauer See', NULL, NULL),
    (3, 'ben', 'ben-alone', 'ben-alone', 'ben-alone'), (4, 'ben', 'ben-alone', NULL, NULL);
INSERT INTO orders VALUES
    (10, 'ada', 1, 9.80, 1.5, '2026-01-31', TRUE, 'first'), (11, 'ada', 2, 0, NULL, NULL, FALSE, NULL),
    (12, 'ben', 3, 5.25, 0.25, '2026-02-28', TRUE, 'ben-alone');
INSERT INTO items VALUES (10, 1, 'ada', 3), (10, 2, 'ada', 4), (12, 1, 'ben', 5);
