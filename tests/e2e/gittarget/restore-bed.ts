import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigMapKind } from '@agents/kube'
import { expect } from 'vitest'
import { agentctlPath, startProgram } from '../../support/agentctl/local-platform.ts'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import type { StartServer } from '../../support/testbed/server.ts'

/** A server with an operator, and real `agentctl gittarget restore` processes. */
export class RestoreBed {
  readonly bed: TestBed
  /** Home and temporary folder of the processes. */
  readonly scratch: string

  private constructor(bed: TestBed, scratch: string) {
    this.bed = bed
    this.scratch = scratch
  }

  static async start(startServer: StartServer): Promise<RestoreBed> {
    const bed = await TestBed.start(startServer)
    const scratch = await mkdtemp(join(tmpdir(), 'agents-restore-'))
    await writeFile(join(scratch, 'kubeconfig'), bed.kubeconfig(), { mode: 0o600 })
    await bed.startOperator()
    return new RestoreBed(bed, scratch)
  }

  async stop(): Promise<void> {
    await this.bed.stop()
    await rm(this.scratch, { recursive: true, force: true })
  }

  restore(team: Team, ...args: string[]) {
    return this.restoreAs('kubeconfig', team, ...args)
  }

  async restoreAs(kubeconfig: string, team: Team, ...args: string[]) {
    const { scratch, bed } = this
    const where = ['-n', team.namespace, '--kubeconfig', join(scratch, kubeconfig)]
    const words = [agentctlPath, 'gittarget', 'restore', 'mirror', ...where, ...args]
    const environment = { HOME: scratch, TMPDIR: scratch }
    const finished = await startProgram(process.execPath, words, environment).finished
    const left = (await readdir(scratch)).filter((name) => name.startsWith('agentctl-'))
    expect(left, 'nothing is left on the disk').toEqual([])
    const printed = finished.stdout + finished.stderr
    expect(bed.secrets.in(printed), 'no value of a Secret is printed').toEqual([])
    return finished
  }

  async dataOf({ namespace }: Team, name: string): Promise<unknown> {
    return this.bed.client.get(ConfigMapKind, { name, namespace }).then(
      ({ data }) => data,
      () => undefined,
    )
  }

  /** A team whose repository contains these files, and whose target changes nothing. */
  async teamWith(
    namespace: string,
    files: Record<string, object | string>,
    target: object = {},
  ): Promise<Team> {
    const remote = await this.bed.remote()
    const texts = Object.entries(files).map(([path, content]) => [
      `cluster/${path}`,
      typeof content === 'string' ? content : JSON.stringify(content),
    ])
    await remote.commit('main', Object.fromEntries(texts))
    return this.bed.team(namespace, remote, { target: { suspend: true, ...target } })
  }

  /** Of a user who may read the target and write ConfigMaps. */
  async limitedToken({ namespace }: Team): Promise<string> {
    const core = `/api/v1/namespaces/${namespace}`
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
    const metadata = { name: 'limited' }
    const post = async (path: string, body: object) =>
      String((await this.bed.client.request({ method: 'POST', path, body })).bytes)
    await post(`${core}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
    const apiVersion = 'rbac.authorization.k8s.io/v1'
    const rules = [
      { apiGroups: ['gitops.proompteng.ai'], resources: ['*'], verbs: ['get'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] },
    ]
    await post(`${rbac}/roles`, { apiVersion, kind: 'Role', metadata, rules })
    await post(`${rbac}/rolebindings`, {
      ...{ apiVersion, kind: 'RoleBinding', metadata },
      subjects: [{ kind: 'ServiceAccount', name: 'limited', namespace }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'limited' },
    })
    const answer = await post(`${core}/serviceaccounts/limited/token`, {
      ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    })
    return (JSON.parse(answer) as { status: { token: string } }).status.token
  }
}

export function configMap(namespace: string | undefined, name: string, more: object = {}): object {
  const metadata = { name, ...(namespace && { namespace }) }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: 'git' }, ...more }
}
