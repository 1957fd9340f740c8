export { readPostgresUrl, type PostgresPlace } from './postgres-url.js';
