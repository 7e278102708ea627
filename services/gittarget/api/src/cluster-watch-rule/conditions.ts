import { livingConditions } from '@agents/status'
import { resourcesResolved, streamsLive } from '../mirrored-resources/gates.ts'

/** The gates of a ClusterWatchRule in order, with their reasons. */
export const clusterWatchRuleConditions = livingConditions({
  gates: [
    {
      type: 'TargetResolved',
      doc: {
        True: 'The GitTarget exists and accepts rules from outside its namespace.',
        False: 'The GitTarget does not exist, or does not accept rules from outside its namespace.',
      },
      reasons: {
        OK: 'The GitTarget exists and accepts the rule.',
        TargetNotFound: 'The GitTarget does not exist; the rule takes effect when it is created.',
        ClusterRulesNotAllowed:
          'The GitTarget does not accept ClusterWatchRules; its owner must set spec.allowClusterRules.',
      },
    },
    resourcesResolved,
    streamsLive,
  ],
})
