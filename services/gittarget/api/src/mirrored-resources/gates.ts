import type { GateInput } from '@agents/status'

export const resourcesResolved = {
  type: 'ResourcesResolved',
  doc: {
    True: 'The server serves every resource of the rules, and each may be mirrored to the target.',
    False:
      'A resource is not served, is ambiguous, or may not be mirrored. The other resources are mirrored.',
  },
  reasons: {
    OK: 'All resources were found.',
    ResourceNotServed:
      'The API server does not serve the resource yet; it is mirrored as soon as it is served.',
    ResourceAmbiguous: 'Several API groups serve the resource; set apiGroups to one of them.',
    ScopeMismatch:
      'The resource is namespaced but the rule selects cluster-scoped resources, or the reverse.',
    EncryptionRequired:
      'The rule selects Secrets, but the target has no encryption, so they are not mirrored.',
    PatternInvalid:
      'A pattern in excludeNames or excludeNamespaces is invalid, so nothing is selected by these terms.',
  },
} as const satisfies GateInput

export const streamsLive = {
  type: 'StreamsLive',
  doc: {
    True: 'Every watch stream of the rule is live: changes are mirrored as they happen.',
    False: 'A watch stream is not live. Missed changes are mirrored once it is.',
  },
  reasons: {
    OK: 'All streams are live.',
    TargetNotReady: 'The target is not ready to be written to, so no stream was opened.',
    InitialSync:
      'The streams of the current rule are not open yet, or existing objects are still being listed and compared.',
    Forbidden:
      'The operator is not allowed to list or watch a resource; grant the permission with RBAC.',
    Disconnected: 'A live stream was disconnected; the operator reconnects automatically.',
  },
} as const satisfies GateInput
