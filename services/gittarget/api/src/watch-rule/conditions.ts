import { livingConditions } from '@agents/status'
import { resourcesResolved, streamsLive } from '../mirrored-resources/gates.ts'

/** The gates of a WatchRule in order, with their reasons. */
export const watchRuleConditions = livingConditions({
  gates: [
    {
      type: 'TargetResolved',
      doc: { True: 'The GitTarget exists.', False: 'The GitTarget does not exist.' },
      reasons: {
        OK: 'The GitTarget exists.',
        TargetNotFound: 'The GitTarget does not exist; the rule takes effect when it is created.',
      },
    },
    resourcesResolved,
    streamsLive,
  ],
})
