import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const workspaceConditions = livingConditions({
  gates: [
    validated({
      MissingSize: 'No size is given.',
      InvalidSize: 'The size is not a quantity.',
      InvalidAccessMode: 'An access mode is not one that Kubernetes knows.',
    }),
    {
      type: 'VolumeBound',
      doc: { True: 'The volume is there.', False: 'The volume is not there.' },
      reasons: {
        Bound: 'The volume is there.',
        Provisioning: 'The volume is on its way.',
        VolumeLost: 'The volume was there and is lost.',
        ClaimConflict: 'A claim of this name belongs to somebody else.',
        Expired: 'Its time is over, and the volume was removed.',
      },
    },
  ],
})
