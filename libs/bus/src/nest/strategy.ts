import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { Exchange } from '@uar/contracts';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Bus } from '../bus.js';

/** Lets a Nest microservice answer over our bus: every method marked with `Answers` becomes a handler of the bus. */
export class BusStrategy extends Server implements CustomTransportStrategy {
  constructor(private readonly bus: Bus) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    try {
      for (const [pattern, handler] of this.messageHandlers) this.#answer(pattern, handler);
    } catch (error) {
      callback(error);
      return;
    }
    this.bus.flush().then(() => callback(), callback);
  }

  /** The bus belongs to whoever connected it. */
  close(): void {}

  on(): never {
    throw new Error('the bus has no transport events');
  }

  unwrap<T>(): T {
    throw new Error('the bus has no transport to show');
  }

  #answer(pattern: string, handler: MessageHandler): void {
    const exchange: Exchange | undefined = handler.extras?.['exchange'];
    if (exchange === undefined) throw new Error(`${pattern} is not declared with Answers`);
    this.bus.answer(exchange, async (ask, context) => {
      const result: unknown = await handler(ask, context);
      return isObservable(result) ? lastValueFrom(result) : result;
    });
  }
}
