import './adapters/v8-flag.js';
import { runService } from '@uar/service';
import { reloadRequests } from './adapters/policies/reload-requests.js';
import { service } from './module.js';

process.on('SIGHUP', () => reloadRequests.emit('asked'));
await runService(service);
