import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const workspaceConditions = livingConditions({
  gates: [
    validated({
      MissingSize: 'No size is specified.',
      InvalidSize: 'The size is not a valid quantity.',
      InvalidAccessMode: 'An access mode is invalid.',
      VolumeImmutable: 'The spec differs from the volume, which cannot be changed.',
    }),
    {
      type: 'VolumeBound',
      doc: { True: 'The volume is bound.', False: 'The volume is not bound.' },
      reasons: {
        Bound: 'The volume is bound.',
        Provisioning: 'The volume is being provisioned.',
        VolumeLost: 'The volume is lost, or its claim was deleted.',
        ClaimConflict: 'A PersistentVolumeClaim of this name has another owner.',
        Expired:
          'The workspace was not used for spec.ttlSeconds. Its volume is deleted, and not created again.',
      },
    },
  ],
})
