import { livingConditions } from '@agents/status'
import { resourcesResolved, streamsLive } from '../mirrored-resources/gates.ts'

/** What is asked about a WatchRule, in order, and what the answers can be. */
export const watchRuleConditions = livingConditions({
  gates: [
    {
      type: 'TargetResolved',
      doc: { True: 'The GitTarget exists.', False: 'The GitTarget does not exist.' },
      reasons: {
        OK: 'The GitTarget exists.',
        TargetNotFound: 'The GitTarget does not exist; the rule starts when it is created.',
      },
    },
    resourcesResolved,
    streamsLive,
  ],
})
