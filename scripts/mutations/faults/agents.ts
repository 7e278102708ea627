import type { Fault } from '../fault.ts'

const schedule = 'services/jangar/src/server/supporting-primitives-controller/schedule'

/** Of admission, runs, schedules, approvals and the archive. */
export const agentsFaults: readonly Fault[] = [
  {
    name: 'a run with a Job gives up its slot',
    commit: 'd7ae3f3d',
    file: 'services/jangar/src/server/admission/admission.ts',
    find: 'return !isAcceptable(run) && !this.#options.hasJobs(run)',
    replace: 'return !isAcceptable(run)',
    tests: [
      'services/jangar/src/server/admission/admission',
      'services/jangar/src/server/admission/admission.property',
    ],
  },
  {
    name: 'an approver may have a name that no account has',
    commit: '57258dda',
    file: 'services/jangar/src/server/primitives-policy/approvals/approval-rules.ts',
    find: 'return accountName.test(name) ? undefined :',
    replace: 'return name.length > 0 ? undefined :',
    tests: ['services/jangar/src/server/primitives-policy/approvals/approval-rules'],
  },
  {
    name: 'a replaced ConfigMap looks like a failure of the agent',
    commit: '22842b20',
    file: 'services/jangar/src/server/agents-controller/agent-run/runtime/job-runtime.ts',
    find: "if (reason === 'DocumentsChanged') return reason",
    replace: '',
    tests: ['tests/e2e/agent-runs/replaced-config-map'],
  },
  {
    name: 'a Schedule leaves active what it replaced before a crash',
    commit: '92cf7fed',
    file: `${schedule}/gates/scheduled.ts`,
    find: 'const replaced = replacedRuns(schedule, runs, activeSince)',
    replace: 'const replaced: typeof runs = []',
    tests: [`${schedule}/replaced-runs`, 'tests/e2e/agents-kinds/schedules'],
  },
  {
    name: 'a run that is applied with empty metadata is refused',
    commit: '26e267d4',
    file: 'services/jangar/api/src/admission/metadata-field.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    find: 'return `(has(${value}) && dyn(${value}) != null)`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    replace: 'return `has(${value})`',
    tests: ['tests/e2e/security/admission-policies'],
  },
  {
    name: 'an index of the archive that a crash left unfinished stays so',
    commit: '0861bffb',
    file: 'services/jangar/src/server/migrations/archive-indexes.ts',
    find: 'if (isValid) return',
    replace: 'if (isValid || name) return',
    tests: ['services/jangar/src/server/migrations/archive-indexes'],
  },
]
