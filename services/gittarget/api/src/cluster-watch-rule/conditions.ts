import { livingConditions } from '@agents/status'
import { resourcesResolved, streamsLive } from '../mirrored-resources/gates.ts'

/** What is asked about a ClusterWatchRule, in order, and what the answers can be. */
export const clusterWatchRuleConditions = livingConditions({
  gates: [
    {
      type: 'TargetResolved',
      doc: {
        True: 'The GitTarget exists and accepts rules from outside its namespace.',
        False: 'The GitTarget does not exist, or does not accept such rules.',
      },
      reasons: {
        OK: 'The GitTarget exists and accepts the rule.',
        TargetNotFound: 'The GitTarget does not exist; the rule starts when it is created.',
        ClusterRulesNotAllowed:
          'The GitTarget does not allow it: its owner has to set spec.allowClusterRules.',
      },
    },
    resourcesResolved,
    streamsLive,
  ],
})
