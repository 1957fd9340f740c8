import { runService } from '@uar/service';
import { service } from './module.js';

await runService(service);
