import type { GateInput } from '@agents/status'

export const resourcesResolved = {
  type: 'ResourcesResolved',
  doc: {
    True: 'Every resource of the rules is served and may be mirrored to the target.',
    False: 'A resource is not served, not unique, or may not be mirrored; the others are.',
  },
  reasons: {
    OK: 'Every resource was found.',
    ResourceNotServed: 'The API server serves no such resource; it is picked up when it does.',
    ResourceAmbiguous: 'Several API groups serve the resource: name one in apiGroups.',
    ScopeMismatch:
      'The resource is namespaced where cluster-wide ones are asked for, or the reverse.',
    EncryptionRequired:
      'Secrets are asked for, but the target has no encryption: they are left out.',
  },
} as const satisfies GateInput

export const streamsLive = {
  type: 'StreamsLive',
  doc: {
    True: 'Every stream of the rule is live: changes are mirrored as they happen.',
    False: 'A stream is not live; what it would bring is caught up when it is.',
  },
  reasons: {
    OK: 'All streams are live.',
    TargetNotReady: 'The target cannot be written to yet, so no stream was opened.',
    InitialSync: 'A stream is still reading what exists.',
    Forbidden: 'The operator may not list or watch a resource: grant it in RBAC.',
    Disconnected: 'A stream that was live has broken off; it is opened again by itself.',
  },
} as const satisfies GateInput
