export { nearest } from './nearest.js';
