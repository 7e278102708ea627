import type { CommandGroup } from '../cli/help.ts'
import { applyCommand } from './apply.ts'
import { cancelCommand } from './cancel.ts'
import { chartCommand } from './chart.ts'
import { completionCommand } from './completion.ts'
import { describeCommand } from './describe.ts'
import { doctorCommand } from './doctor.ts'
import { downCommand } from './down.ts'
import { explainCommand } from './explain.ts'
import { getCommand } from './get.ts'
import { gitTargetCommand } from './gittarget.ts'
import { logsCommand } from './logs.ts'
import { runCommand } from './run.ts'
import { upCommand } from './up.ts'
import { versionCommand } from './version.ts'
import { waitCommand } from './wait.ts'

/** In the order in which a person needs them. */
export const commandGroups: readonly CommandGroup[] = [
  { title: 'The platform on this machine', commands: [upCommand, downCommand] },
  { title: 'Runs', commands: [runCommand, logsCommand, explainCommand, cancelCommand] },
  { title: 'Everything else', commands: [getCommand, describeCommand, waitCommand, applyCommand] },
  { title: 'Git', commands: [gitTargetCommand, chartCommand] },
  { title: 'Help', commands: [doctorCommand, completionCommand, versionCommand] },
]
