import 'reflect-metadata';
import { Catch, UseFilters, type ExceptionFilter } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants';
import type { Exchange } from '@uar/contracts';
import { throwError, type Observable } from 'rxjs';
import type { AskHandler } from '../bus.js';

/** Nest would replace what a handler throws by a text of its own and log it; the strategy needs the error itself. */
@Catch()
class ToStrategy implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}

const toStrategy = new ToStrategy();

/**
 * The method of a controller that answers an exchange. It gets `(ask, context: AskContext)` as they are: no pipe sees
 * them, and what it throws becomes the fault `faulted`.
 */
export function Answers<E extends Exchange>(exchange: E) {
  return <H extends AskHandler<E>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    MessagePattern(exchange.subject, { exchange })(target, key, descriptor);
    UseFilters(toStrategy)(target, key, descriptor);
    // An empty parameter table makes Nest pass the arguments on untouched instead of the first one only.
    Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, target.constructor, key);
  };
}
