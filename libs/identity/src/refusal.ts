/** Why a token is refused: bounded words for metrics, logs and receipts. Callers only ever see 401. */
export type RefusalCause =
  | 'too_large'
  | 'malformed'
  | 'duplicate_member'
  | 'algorithm_refused'
  | 'header_refused'
  | 'key_id_missing'
  | 'key_unknown'
  | 'keys_unavailable'
  | 'signature_wrong'
  | 'subject_refused'
  | 'time_refused'
  | 'expired'
  | 'not_yet_valid'
  | 'issuer_refused'
  | 'audience_refused'
  | 'development_token'
  | 'tenant_refused'
  | 'agent_refused'
  | 'roles_refused'
  | 'groups_refused'
  | 'scopes_refused'
  | 'capabilities_refused';

export interface Refusal {
  readonly kind: 'invalid';
  readonly cause: RefusalCause;
}

export function refuse(cause: RefusalCause): Refusal {
  return { kind: 'invalid', cause };
}
