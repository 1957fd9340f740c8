export { EventDesk, type EventPlace } from './event-desk.js';
