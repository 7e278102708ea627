import { leaderElectionRules as electionRules, leaderElectionSettings } from '@agents/process'

/** The name of the Lease if no setting says another. The chart sets it. */
export const defaultLeaseName = 'agents-controller-leader'

const options = {
  prefix: 'JANGAR_LEADER_ELECTION',
  leaseName: defaultLeaseName,
  chart: 'controllers.leaderElection',
}

export const leaderElection = leaderElectionSettings(options)
export const leaderElectionRules = electionRules(options)
