export { ApiClient } from './api-client.ts'
export { ApiFailure } from './api-failure.ts'
export { followEvents, type StreamState } from './follow-events.ts'
export type {
  Access,
  Act,
  ApiObject,
  AuditEntry,
  AuditFilter,
  Delivery,
  DeliveryFilter,
  EventRecord,
  Finding,
  FoundRun,
  KindRecord,
  ObjectChange,
  Referrer,
  ReferrersOfKind,
  RunChange,
  RunFilter,
  RunKey,
  RunRequest,
  RunSummary,
  SessionRecord,
} from './records.ts'
