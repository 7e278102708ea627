import type { Fault } from '../fault.ts'

const http = 'services/jangar/src/server/http'

/** Of the HTTP API, agentctl, the console and the chart. */
export const interfaceFaults: readonly Fault[] = [
  {
    name: 'a request behind the last answer of a connection is carried out',
    commit: '0c8ebde7',
    file: `${http}/http-server.ts`,
    find: 'if (isClosing(request)) return',
    replace: '',
    tests: [`${http}/linger`],
  },
  {
    name: 'referrers are counted from an incomplete cache',
    commit: '19a796f4',
    file: 'services/jangar/src/server/api/find-referrers.ts',
    find: 'else needRunsOf(namespace, [source])',
    replace: '',
    tests: [`${http}/incomplete-runs`],
  },
  {
    name: 'signing out leaves the session of the provider open',
    commit: 'd5a93779',
    file: `${http}/routes/session-routes.ts`,
    find: 'isOfProvider ? await provider?.signOutAddress(username) : undefined',
    replace: 'isOfProvider ? undefined : undefined',
    tests: ['tests/e2e/control-plane/sign-out'],
  },
  {
    name: 'the artifacts of a run are those that name it as an owner',
    commit: '22842b20',
    file: 'apps/agentctl/src/artifacts/run-artifacts.ts',
    find: '.filter((each) => isControlledBy(each, run))',
    replace:
      '.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === run.metadata.uid))',
    tests: ['apps/agentctl/src/artifacts/run-artifacts'],
  },
  {
    name: 'the local platform cannot import issues',
    commit: '45631b11',
    file: 'apps/agentctl/src/platform/install-policies.ts',
    find: 'accounts: [platformUser.name],',
    replace: 'accounts: [],',
    tests: ['tests/e2e/agentctl/sources'],
  },
  {
    name: 'what a user has seen is left for the next one',
    commit: '5e4d4857',
    file: 'apps/console/src/browser/data/live-runs.ts',
    find: '    // The next one who signs in here may not be allowed to see these.\n    this.#forget()\n',
    replace: '',
    tests: ['apps/console/src/browser/data/live-runs'],
  },
  {
    name: 'an object whose status changes cannot be saved',
    commit: 'a0be8896',
    file: 'apps/console/src/browser/kinds/object-editor.tsx',
    find: 'if (isNewer && isSame) setBase(object)',
    replace: '',
    tests: ['tests/e2e/console/keyboard'],
  },
  {
    name: 'a kept log looks like one that was followed',
    commit: '2ce93f0d',
    file: 'apps/console/src/browser/log/follow-log.ts',
    find: 'isKept = read.isKept',
    replace: '',
    tests: ['tests/e2e/console/kept-log'],
  },
  {
    name: 'the Ingress leads to the port of the probes',
    commit: 'e5e43f31',
    file: 'charts/agents/templates/_service.tpl',
    find: '"portName" "api" "port" .Values.api.port',
    replace: '"portName" "http" "port" .Values.service.port',
    tests: ['tests/chart/api'],
  },
  {
    name: 'helm test does not ask the HTTP API',
    commit: '0255426d',
    file: 'charts/agents/templates/tests/release.yaml',
    find: '{{- if and .Values.api.enabled .Values.tests.api }}',
    replace: '{{- if false }}',
    tests: ['tests/chart/api', 'tests/chart/values/helm-test'],
  },
]
