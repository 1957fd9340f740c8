import { workerData, type MessagePort } from 'node:worker_threads';
import { Connection } from './connection.js';
import type { ClientStart, FromClient, ToClient } from './client-messages.js';

/** Asks the server in the place of a thread that waits, without turning its event loop, until `answers` grows. */
function serve(port: MessagePort, start: ClientStart): void {
  const connection = new Connection(start);
  const answer = (message: FromClient): void => {
    port.postMessage(message);
    Atomics.add(start.answers, 0, 1);
    Atomics.notify(start.answers, 0);
  };
  port.on('message', (message: ToClient) => {
    switch (message.kind) {
      case 'run': {
        const { id, commands, continues } = message;
        connection.run(commands, continues).then(
          (results) => answer({ id, kind: 'done', results }),
          (error: unknown) => answer({ id, kind: 'failed', failure: connection.failureOf(error) }),
        );
        return;
      }
      case 'give_up':
        connection.giveUp();
        return;
      case 'limits':
        connection.setLimits(message.limits);
        return;
      case 'close':
        void connection.close().then(() => port.close());
    }
  });
}

serve(workerData.port, workerData.start);
