import { leaderElectionRules as electionRules, leaderElectionSettings } from '@agents/process'

const options = {
  prefix: 'JANGAR_LEADER_ELECTION',
  leaseName: 'agents-controller-leader',
  chart: 'controllers.leaderElection',
}

export const leaderElection = leaderElectionSettings(options)
export const leaderElectionRules = electionRules(options)
