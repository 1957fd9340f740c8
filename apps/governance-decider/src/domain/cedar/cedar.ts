/** The parts of a question to Cedar, as its JSON forms want them. */
export interface Uid {
  readonly type: `UAR::${string}`;
  readonly id: string;
}

export type CedarValue =
  boolean | number | string | readonly CedarValue[] | { readonly [member: string]: CedarValue };

export interface Entity {
  readonly uid: Uid;
  readonly attrs: Readonly<Record<string, CedarValue>>;
  readonly parents: readonly Uid[];
  readonly tags?: Readonly<Record<string, CedarValue>>;
}

export interface CedarQuestion {
  readonly principal: Uid;
  /** Id of an action of namespace UAR. */
  readonly action: string;
  readonly resource: Uid;
  readonly context: Readonly<Record<string, CedarValue>>;
  readonly entities: readonly Entity[];
  /** Of the policies of the action only those of this part are asked; absent: all. */
  readonly part?: 'steady' | 'momentary';
}

/** What came back for one question, before anybody believed it. */
export type RawAnswer =
  | {
      readonly kind: 'decided';
      readonly decision: string;
      readonly reasons: readonly string[];
      /** Ids of the policies that failed while they were evaluated. */
      readonly errors: readonly string[];
    }
  /** Cedar refused the question: it does not fit the schema. */
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'threw'; readonly message: string }
  /** An earlier question of the same batch was refused. */
  | { readonly kind: 'not_asked' }
  | { readonly kind: 'lost'; readonly cause: EngineLoss };

export type EngineLoss = 'engine_timeout' | 'engine_overloaded' | 'engine_unavailable';

export interface QuestionBatch {
  /** Version of an installed policy set. */
  readonly set: string;
  readonly questions: readonly CedarQuestion[];
  /** Ask no further once a question of the batch is not answered with yes. */
  readonly stopAtRefusal: boolean;
}

/** Whoever evaluates questions: one answer each, in order, within a bounded time, never a rejection. */
export interface Engine {
  ask(batch: QuestionBatch): Promise<readonly RawAnswer[]>;
}

export function entityRef(uid: Uid): CedarValue {
  return { __entity: { type: uid.type, id: uid.id } };
}

export function extension(name: 'datetime' | 'ip' | 'decimal', text: string): CedarValue {
  return { __extn: { fn: name, arg: text } };
}
