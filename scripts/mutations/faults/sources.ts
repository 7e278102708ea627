import type { Fault } from '../fault.ts'

const source = 'services/jangar/src/server/agents-controller/implementation-source'

/** Of sources of issues, their triggers and the services that they are from. */
export const sourceFaults: readonly Fault[] = [
  {
    name: 'a status from outside starts a run on GitLab',
    commit: 'b873cf0e',
    file: 'services/jangar/src/server/inbox/delivery/read-check.ts',
    find: 'if (jobs.length === 0) return undefined',
    replace: '',
    tests: ['services/jangar/src/server/inbox/delivery/read-changes'],
  },
  {
    name: 'a run of another namespace silences a trigger',
    commit: 'e8075e7f',
    file: `${source}/trigger/event-origin.ts`,
    find: 'agentRuns.list(namespace).find(',
    replace: 'agentRuns.list().find(',
    tests: [`${source}/trigger/event-origin`],
  },
  {
    name: 'an OrchestrationRun goes on when its issue is closed',
    commit: '402fab1a',
    file: `${source}/closed/closed-issues-part.ts`,
    find: 'of Object.values(startedKinds(caches))) {',
    replace: 'of [startedKinds(caches).AgentRun]) {',
    tests: ['tests/e2e/forge/orchestration-triggers'],
  },
  {
    name: 'who takes the name of a maintainer may start runs',
    commit: '6bc2aae8',
    file: 'packages/forge/src/github/github-shapes.ts',
    find: "if (id !== undefined && fields.objectIfAny('user')?.whole('id') !== id) return 'none'",
    replace: '',
    tests: ['tests/e2e/forge/gitea-forge', 'tests/e2e/forge/triggers'],
  },
]
