import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const workspaceConditions = livingConditions({
  gates: [
    validated({
      MissingSize: 'No size is specified.',
      InvalidSize: 'The size is not a valid quantity.',
      InvalidAccessMode: 'An access mode is invalid.',
    }),
    {
      type: 'VolumeBound',
      doc: { True: 'The volume is bound.', False: 'The volume is not bound.' },
      reasons: {
        Bound: 'The volume is bound.',
        Provisioning: 'The volume is being provisioned.',
        VolumeLost: 'The volume is lost.',
        ClaimConflict: 'A PersistentVolumeClaim of this name has another owner.',
        Expired: 'The workspace expired, and the volume was deleted.',
      },
    },
  ],
})
