export { UarConfig } from './schema.js';
