/**
 * How much of the long suites runs. The gate runs at each change: `*.check.ts`. Full adds `*.full.ts` and the parts of
 * the others that `isFull` (tests/support/tier.ts) selects: it runs before a release.
 */
export type Tier = 'gate' | 'full'

/** A long suite: its `*.check.ts` and `*.full.ts` files, with the settings they need. */
export interface Suite {
  /** The folder below tests/, or `units`; also the name of the vitest project. */
  readonly name: string
  readonly testTimeout: number
  /** Generous where the first start may have to build the real control plane or a Go program. */
  readonly hookTimeout: number
  /** How many files run at the same time. If omitted, vitest decides. */
  readonly maxWorkers?: number
  /** A module that starts what all files share. */
  readonly globalSetup?: string
  /** What its part of the gate may take, in seconds of a quiet machine. Without one the suite is only in full. */
  readonly budget?: number
  /** Files and folders that its code does not name, and which can change its result; `.` for all. */
  readonly inputs?: readonly string[]
  /** Whether it measures, and so must not share the machine with another suite. */
  readonly alone?: boolean
}

/** The suite of the long tests outside of tests/. */
const unitsSuite = 'units'

const second = 1000
const minute = 60 * second

/** In the order in which `npm run test:long` starts them: the longest first, so that both lanes end together. */
export const suites: readonly Suite[] = [
  // Each value removed, each flag alone, and the baselines of all releases; the lifecycle of the chart on a real
  // kube-apiserver.
  { name: 'chart/release', budget: 550, testTimeout: 15 * minute, hookTimeout: 400 * second },
  // The real Gitea, built at first use, and GitHub's own description of its API.
  {
    name: 'e2e/forge',
    budget: 625,
    testTimeout: 5 * minute,
    hookTimeout: 40 * minute,
    maxWorkers: 1,
    globalSetup: 'tests/e2e/forge/main/start-services.ts',
  },
  // The web console in a real Chromium, against a real `agentctl up`. Both are started once for all files. Needs the
  // npm registry for the first start.
  {
    name: 'e2e/console',
    budget: 515,
    testTimeout: 4 * minute,
    hookTimeout: 10 * minute,
    maxWorkers: 1,
    globalSetup: 'tests/e2e/console/main/start-stage.ts',
  },
  {
    name: 'e2e/gittarget',
    budget: 710,
    testTimeout: 5 * minute,
    hookTimeout: 30 * minute,
    maxWorkers: 1,
  },
  // Every command against a real `agentctl up`, restarts and crashes of it, and the tour of the README.
  // Each worker has a platform that its files use one after the other.
  {
    name: 'e2e/agentctl',
    budget: 480,
    testTimeout: 10 * minute,
    hookTimeout: 5 * minute,
    maxWorkers: 2,
    globalSetup: 'tests/e2e/agentctl/main/start-platforms.ts',
  },
  // The well-known agent CLIs, installed from their registries, against a model server of the test.
  {
    name: 'e2e/agent-clis',
    budget: 190,
    testTimeout: 4 * minute,
    hookTimeout: 15 * minute,
    maxWorkers: 1,
  },
  // Attacks that need a real API server.
  {
    name: 'e2e/security',
    budget: 330,
    testTimeout: 4 * minute,
    hookTimeout: 5 * minute,
    maxWorkers: 1,
  },
  // The controllers are killed again and again while runs are in progress; each run must still end correctly.
  { name: 'faults/chaos', budget: 75, testTimeout: 20 * minute, hookTimeout: 4 * minute },
  // Every route of the HTTP API, asked by every kind of caller, on both API servers.
  {
    name: 'e2e/control-plane',
    budget: 160,
    testTimeout: 5 * minute,
    hookTimeout: 10 * minute,
    maxWorkers: 1,
  },
  // Full only: the image as an engine builds it from the Dockerfile, and its programs as the pods of the chart.
  { name: 'e2e/image-engine', testTimeout: 5 * minute, hookTimeout: 10 * minute, maxWorkers: 1 },
  // Commands of the real kubectl: they print for the embedded server what is recorded of the real one.
  {
    name: 'conformance/kubectl',
    budget: 85,
    testTimeout: 10 * minute,
    hookTimeout: 5 * minute,
    maxWorkers: 2,
    globalSetup: 'tests/conformance/kubectl/main/start-servers.ts',
  },
  // Long tests that stand beside the file that they test: kills, attacks and properties of one unit.
  { name: unitsSuite, budget: 260, testTimeout: 5 * minute, hookTimeout: 2 * minute },
  // The examples of the agents group on whole platforms: the embedded server, and a real control plane with the local
  // node.
  {
    name: 'e2e/examples',
    budget: 80,
    testTimeout: 10 * minute,
    hookTimeout: 5 * minute,
    maxWorkers: 1,
  },
  // The stores of artifacts: a folder and a real S3 server. Needs Go for the second.
  {
    name: 'e2e/artifacts',
    budget: 60,
    testTimeout: 25 * minute,
    hookTimeout: 10 * minute,
    maxWorkers: 1,
  },
  // Restarts, kills and outages of the cluster, the remote and the disk of a GitTarget.
  {
    name: 'faults/gittarget',
    budget: 210,
    testTimeout: 5 * minute,
    hookTimeout: 30 * minute,
    maxWorkers: 1,
  },
  // Whole controllers of the agents group, one set for each test.
  { name: 'e2e/agents-kinds', budget: 100, testTimeout: 4 * minute, hookTimeout: 2 * minute },
  {
    name: 'contract/status',
    budget: 65,
    testTimeout: 4 * minute,
    hookTimeout: 30 * minute,
    maxWorkers: 1,
  },
  // The local node against the embedded server, both in the test's process, with real processes as containers.
  {
    name: 'e2e/local-node',
    budget: 55,
    testTimeout: 5 * minute,
    hookTimeout: 3 * minute,
    maxWorkers: 2,
  },
  // Runs from their creation to their end: what takes seconds, such as retries and schedules.
  { name: 'e2e/agent-runs', budget: 180, testTimeout: 4 * minute, hookTimeout: 2 * minute },
  // Requests whose answers are recorded of a real kube-apiserver, which full asks again. Started once for all files.
  {
    name: 'conformance/api',
    budget: 25,
    testTimeout: 4 * minute,
    hookTimeout: 5 * minute,
    maxWorkers: 2,
    globalSetup: 'tests/conformance/api/main/start-subjects.ts',
  },
  // Faults injected on purpose, against the embedded server and a real one.
  {
    name: 'faults/controller',
    budget: 50,
    testTimeout: 10 * minute,
    hookTimeout: 30 * minute,
    maxWorkers: 1,
  },
  // The server process is killed, started twice and runs out of disk; acknowledged writes must survive.
  {
    name: 'faults/crash',
    budget: 20,
    testTimeout: 25 * minute,
    hookTimeout: 10 * second,
    maxWorkers: 2,
  },
  // Mutated, odd and crafted requests: the embedded server must keep answering.
  { name: 'faults/fuzz', budget: 20, testTimeout: 25 * minute, hookTimeout: 15 * minute },
  // Needs sops and age, built at first use, and sshd.
  { name: 'e2e/git', budget: 50, testTimeout: 5 * minute, hookTimeout: 30 * minute, maxWorkers: 1 },
  // The artefacts of a release, installed without a checkout, and the workflows that build them. Needs Go and
  // the npm registry.
  {
    name: 'e2e/release',
    budget: 45,
    testTimeout: 10 * minute,
    hookTimeout: 10 * minute,
    maxWorkers: 1,
  },
  {
    name: 'conformance/apply',
    budget: 20,
    testTimeout: 10 * minute,
    hookTimeout: 30 * minute,
    maxWorkers: 1,
  },
  // Remotes that fail in various ways for a branch writer.
  { name: 'faults/git', budget: 20, testTimeout: 5 * minute, hookTimeout: 5 * minute },
  // The content of the image, installed and run under the same constraints as by the Dockerfile, without Docker.
  { name: 'e2e/image', budget: 40, testTimeout: 4 * minute, hookTimeout: 400 * second },
  // Each program of the image in a separate process: settings, probes and shutdown.
  { name: 'e2e/processes', budget: 75, testTimeout: 5 * minute, hookTimeout: 5 * minute },
  // The real Helm: a chart leaves behind on the embedded server what is recorded of the real one.
  { name: 'conformance/helm', budget: 20, testTimeout: 400 * second, hookTimeout: 5 * minute },
  // Every process of every profile of the chart, started with exactly the environment that the chart renders for it.
  { name: 'chart/rendered-env', budget: 30, testTimeout: 400 * second, hookTimeout: 4 * minute },
  // Values of the chart in many combinations, each rendered by Helm.
  { name: 'chart/values', budget: 40, testTimeout: 4 * minute, hookTimeout: 2 * minute },
  // The client and its informers on the embedded server, in full on both. KUBE_SUBJECT=embedded|real selects one.
  {
    name: 'contract/kube-client',
    budget: 20,
    testTimeout: 400 * second,
    hookTimeout: 30 * minute,
    maxWorkers: 1,
  },
  { name: 'support/testbed', testTimeout: 5 * minute, hookTimeout: 30 * minute, maxWorkers: 1 },
  // What Argo CD, kstatus and kubectl conclude from the same objects. Needs Go for the first two.
  { name: 'contract/health', budget: 20, testTimeout: 5 * minute, hookTimeout: 10 * minute },
  // Manifests that GitTarget writes and edits, as Go reads them. Needs Go.
  { name: 'contract/manifests', budget: 20, testTimeout: 5 * minute, hookTimeout: 10 * minute },
  // Recorded responses of the real kube-apiserver, recorded again and compared.
  {
    name: 'conformance/answers',
    testTimeout: 5 * minute,
    hookTimeout: 30 * minute,
    maxWorkers: 1,
  },
  // Exported spans, decoded with the types of the OpenTelemetry collector. Needs Go.
  { name: 'e2e/tracing', budget: 30, testTimeout: 2 * minute, hookTimeout: 10 * minute },
  // The gRPC API of the control plane with clients in Go and Python.
  { name: 'e2e/grpc', budget: 25, testTimeout: 2 * minute, hookTimeout: 10 * minute },
  // Connections to a real Postgres with every mode of TLS.
  { name: 'e2e/database-tls', budget: 20, testTimeout: 5 * minute, hookTimeout: 5 * minute },
  {
    name: 'conformance/discovery',
    budget: 20,
    testTimeout: 5 * minute,
    hookTimeout: 30 * minute,
    maxWorkers: 1,
  },
  {
    name: 'conformance/table',
    budget: 20,
    testTimeout: 5 * minute,
    hookTimeout: 30 * minute,
    maxWorkers: 1,
  },
  // Full only: how smoothly the console scrolls and follows changes, in frames of a real Chromium.
  {
    name: 'e2e/console-speed',
    testTimeout: 4 * minute,
    hookTimeout: 10 * minute,
    maxWorkers: 1,
    alone: true,
  },
  // Large requests and bodies, none of which may block the server's event loop. Measures how long the server is busy.
  {
    name: 'faults/bounded-work',
    budget: 20,
    testTimeout: 25 * minute,
    hookTimeout: 15 * minute,
    maxWorkers: 1,
    alone: true,
  },
]

/** The suites that run in a tier. */
export function suitesOf(tier: Tier): readonly Suite[] {
  return tier === 'full' ? suites : suites.filter(({ budget }) => budget !== undefined)
}

/** Where the files of a suite are, for vitest. */
export function patternsOf(name: string, tier: Tier): readonly string[] {
  const ending = tier === 'gate' ? 'check' : '{check,full}'
  return foldersOf(name).map((folder) => `${folder}/**/*.${ending}.ts`)
}

/** The folders of a suite. */
export function foldersOf(name: string): readonly string[] {
  return name === unitsSuite ? ['packages', 'services', 'apps'] : [`tests/${name}`]
}

/**
 * The suites that `name` selects: one suite (`e2e/gittarget`), a room (`e2e`), or a folder of any room (`gittarget`).
 */
export function suitesNamed(name: string): Suite[] {
  return suites.filter((suite) => suite.name === name || suite.name.split('/').includes(name))
}
