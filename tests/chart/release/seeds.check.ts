import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest } from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CommandLine, openCommandLine } from '../../support/chart/command-line.ts'
import { find } from '../../support/chart/render.ts'
import { variablesOf } from '../../support/chart/workload.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'

const timeout = 60_000

let folder: string
let server: EmbeddedServer
let shell: CommandLine

beforeAll(async () => {
  ;[folder, server] = await Promise.all([
    mkdtemp(join(tmpdir(), 'agents-seeds-')),
    startEmbeddedServer(),
  ])
  shell = await openCommandLine(folder, server.kubeconfigPath)
}, timeout)

afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The documented commands, verbatim; what they write to /tmp goes to a folder of the test. */
function run(line: string) {
  return shell(line.replaceAll('/tmp/', `${folder}/`))
}

describe('rendering', () => {
  test('helm lint charts/agents', { timeout }, async () => {
    const { code, stdout } = await run('helm lint charts/agents')
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
  })

  test('as Argo CD does, with Helm 3', { timeout }, async () => {
    const line =
      'mise exec helm@3 -- kustomize build --enable-helm argocd/applications/agents >/tmp/agents.rendered.yaml'
    expect((await run(line)).code).toBe(0)
    const objects = readManifest(await readFile(join(folder, 'agents.rendered.yaml'), 'utf8'))
    expect(variablesOf(find(objects, 'Deployment', 'agents-controllers')).JANGAR_MIGRATIONS).toBe(
      'skip',
    )
  })

  test('with the values of production', { timeout }, async () => {
    const line =
      'helm template agents charts/agents -f argocd/applications/agents/values.yaml >/tmp/agents.yaml'
    expect((await run(line)).code).toBe(0)
    const objects = readManifest(await readFile(join(folder, 'agents.yaml'), 'utf8'))
    expect(
      objects
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(['agents', 'agents-controllers'])
  })

  test('the migration mode is visible, once for each Deployment', { timeout }, async () => {
    const { stdout } = await run(
      'helm template agents charts/agents --set controllers.enabled=true | rg -n "JANGAR_MIGRATIONS"',
    )
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringContaining('name: JANGAR_MIGRATIONS'),
      expect.stringContaining('name: JANGAR_MIGRATIONS'),
    ])
  })

  test('checksums are rendered if and only if they are enabled', { timeout }, async () => {
    const asked = 'helm template agents charts/agents'
    const [off, on] = await Promise.all([
      run(`${asked} | rg -n "checksum/"`),
      run(
        `${asked} --set rolloutChecksums.enabled=true --set 'rolloutChecksums.secrets={agents-github-token-env}' | rg -n "checksum/"`,
      ),
    ])
    expect(off).toMatchObject({ code: 1, stdout: '' })
    expect(on.stdout).toMatch(/checksum\/secret-agents-github-token-env: "[a-f0-9]{64}"/)
  })
})

describe('inspecting a cluster', () => {
  beforeAll(async () => {
    const install =
      'kubectl create namespace agents && kustomize build --enable-helm argocd/applications/agents > all.yaml; '
    const apply = 'kubectl apply --server-side -f all.yaml; kubectl apply --server-side -f all.yaml'
    const { stderr } = await run(`${install}${apply}`.replaceAll('all.yaml', '/tmp/all.yaml'))
    expect(stderr.split('\n').filter((line) => line.includes('Invalid'))).toEqual([])
  }, timeout)

  test.each<{ line: string; message: RegExp }>([
    {
      line: 'kubectl -n agents get deploy,svc,pdb,cm',
      message: /deployment\.apps\/agents-controllers/,
    },
    { line: 'kubectl -n agents describe deploy agents', message: /JANGAR_MIGRATIONS: +auto/ },
    {
      line: 'kubectl -n agents describe deploy agents-controllers || true',
      message: /JANGAR_MIGRATIONS: +skip/,
    },
    {
      line: "kubectl -n agents get deploy agents -o jsonpath='{.spec.template.metadata.annotations}'; echo",
      message: /"checksum\/secret-agents-github-token-env":"[a-f0-9]{64}"/,
    },
    { line: 'kubectl -n agents auth can-i list deploy', message: /^yes/ },
    {
      line: "kubectl get crd | rg 'proompteng\\.ai'",
      message: /gittargets\.gitops\.proompteng\.ai/,
    },
    {
      line: "kubectl get crd | rg 'agents\\.proompteng\\.ai'",
      message: /agentruns\.agents\.proompteng\.ai/,
    },
  ])('$line', { timeout }, async ({ line, message }) => {
    const { code, stdout } = await run(line)
    expect([code, stdout]).toEqual([0, expect.stringMatching(message)])
  })
})

describe('the checks fail when they should', () => {
  test('kubeconform.sh', { timeout }, async () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'x' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' }, annotations: { 'checksum/secret/name': 'x' } },
          spec: { containers: [{ name: 'x', image: 'x' }] },
        },
      },
    }
    const run = {
      apiVersion: 'agents.proompteng.ai/v1alpha1',
      kind: 'AgentRun',
      metadata: { name: 'x' },
      spec: { bogus: 1 },
    }
    const bad = [deployment, run].map((object) => JSON.stringify(object)).join('\n---\n')
    const { code, stdout } = await shell('scripts/kubeconform.sh -', bad)
    expect(code).toBe(1)
    expect(stdout).toContain('checksum/secret/name')
    expect(stdout).toContain('spec.bogus')
  })

  test('argo-lint.sh', { timeout }, async () => {
    const broken = [
      `mkdir -p /tmp/argocd/applications && cp -r argocd/applications/agents /tmp/argocd/applications/agents`,
      `cp -r charts /tmp/charts`,
      `sed -i 's/^    digest:.*//; s/^  digest:.*//; s/requireDigest: true/requireDigest: false/' /tmp/argocd/applications/agents/values.yaml`,
      `sed -i 's/ version: .*/ version: 0.0.1/; /skipTests/d' /tmp/argocd/applications/agents/kustomization.yaml`,
      `sed -i '/PruneLast/d; s#path: argocd/applications/agents#path: argocd/nowhere#' /tmp/argocd/applications/agents/application.yaml`,
      `sed -i 's/Prune=false,//' /tmp/charts/agents/crds/*agentruns.yaml`,
      `scripts/argo-lint.sh /tmp/argocd`,
    ].join(' && ')
    const { code, stdout } = await run(broken)
    expect(code).toBe(1)
    for (const problem of [
      'argocd/nowhere does not exist',
      'syncOptions lack PruneLast=true',
      'it refers to agents 0.0.1, but the chart has version',
      'skipTests is not true',
      'agentruns.agents.proompteng.ai: a revert would prune it',
      'is not pinned by digest',
    ]) {
      expect(stdout).toContain(problem)
    }
  })
})
