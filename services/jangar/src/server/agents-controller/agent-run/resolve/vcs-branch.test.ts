import type { AgentRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { runClaims } from '../../../kubernetes/run-claims.ts'
import { resolveWork } from './resolve-work.ts'
import { type Loose, onHub, resolve, secrets, vcp, vcsOf } from './testing/repository-run.ts'
import { portsWith, unheard, workflow } from './testing/resolution-fixture.ts'

describe('a run cannot bypass branch protection', () => {
  test.each([
    {
      because: 'a base branch that differs from that of the provider',
      parameters: { base: 'main', head: 'develop' },
      spec: { defaults: { baseBranch: 'develop' } },
    },
    {
      because: 'a protected branch as its base, if pushing to the base branch is allowed',
      parameters: { base: 'release/1', head: 'release/1' },
      spec: { defaults: { baseBranch: 'main' }, branchPolicy: { allowBaseBranch: true } },
    },
  ])('by $because', ({ parameters, spec }) => {
    const run = onHub({ parameters: { repository: 'Org/name', ...parameters } })
    expect(resolve(run, [vcp(spec)])).toMatchObject({ kind: 'refused', reason: 'VcsPolicyDenied' })
  })
})

describe('the branch of a run', () => {
  const defaults = {
    branchTemplate: 'fix/{{ inputs.issueNumber }}',
    branchConflictSuffixTemplate: '{{ agentRun.name }}',
  }
  const provider = vcp({ defaults })
  const at = (time: string, name: string) => ({
    metadata: { name, uid: name, creationTimestamp: `2026-01-0${time}T00:00:00Z` },
  })
  const parameters = { repository: 'Org/name', issue: '7' }
  const run = onHub({ parameters }, at('2', 'r'))
  const other = (created: string, status: Loose) =>
    onHub(
      {},
      {
        ...at(created, 'other'),
        status: { vcs: { repository: 'org/NAME', headBranch: 'fix/7' }, ...status },
      },
    )
  const finished = {
    conditions: [{ type: 'Finished', status: 'True', reason: 'Failed', message: '' }],
  }

  /** The branches of runs that are resolved one after the other, before any status is written. */
  const givenTo = (...runs: AgentRun[]) => {
    const claims = runClaims(unheard)
    return runs.map((each) => {
      const there = portsWith([...secrets, provider, each])
      const resolution = resolveWork(each, undefined, { ...there, claims })
      if (resolution.kind !== 'resolved') return resolution.kind
      return resolution.work.vcs?.status.headBranch
    })
  }

  test.each([
    { because: 'no other run has the branch', there: [], is: 'fix/7' },
    { because: 'an older run has it', there: [other('1', {})], is: 'fix/7-r' },
    {
      because: 'the other run is younger and has not started',
      there: [other('3', {})],
      is: 'fix/7',
    },
    {
      because: 'the other run is younger and has started',
      there: [other('3', { attempts: 1 })],
      is: 'fix/7-r',
    },
    { because: 'the other run has finished', there: [other('1', finished)], is: 'fix/7' },
    {
      because: 'the other run has a different branch',
      there: [other('1', { vcs: { repository: 'Org/name', headBranch: 'fix/8' } })],
      is: 'fix/7',
    },
    {
      because: 'the other run has a different repository',
      there: [other('1', { vcs: { repository: 'Org/else', headBranch: 'fix/7' } })],
      is: 'fix/7',
    },
  ])('is $is when $because', ({ there, is }) => {
    expect(vcsOf(run, [provider, ...there]).vcs?.status.headBranch).toBe(is)
  })

  test.each([
    { because: 'with the suffix', mine: 'fix/7-r' },
    { because: 'without the suffix', mine: 'fix/7' },
    { because: 'with another suffix that the runner added', mine: 'fix/7-r-r' },
  ])('is kept once the run has started, $because', ({ mine }) => {
    const begun = {
      ...run,
      status: { attempts: 1, vcs: { repository: 'Org/name', headBranch: mine } },
    } as AgentRun
    expect(vcsOf(begun, [provider, other('1', { attempts: 1 })]).vcs?.status.headBranch).toBe(mine)
  })

  test.each([
    { because: 'a different repository', of: { repository: 'Org/else', headBranch: 'fix/7' } },
    { because: 'a different branch', of: { repository: 'Org/name', headBranch: 'fix/8' } },
    { because: 'no repository', of: undefined },
  ])('of a later step must be free, even if the run has started in $because', ({ of }) => {
    const begun = { ...run, status: { attempts: 1, ...(of && { vcs: of }) } } as AgentRun
    const headOf = (...there: KubeObject[]) =>
      vcsOf(begun, [provider, ...there]).vcs?.status.headBranch
    expect([headOf(), headOf(other('3', { attempts: 1 }))]).toEqual(['fix/7', 'fix/7-r'])
  })

  test('keeps its suffix when the other run ends before this one starts', () => {
    const vcs = { repository: 'Org/name', headBranch: 'fix/7-r' }
    const told = { ...run, status: { vcs } } as AgentRun
    expect(vcsOf(told, [provider]).vcs?.status.headBranch).toBe('fix/7-r')
  })

  test('is not given to two runs before either status is written', () => {
    const older = onHub({ parameters }, at('1', 'older'))
    expect(givenTo(run, older, run)).toEqual(['fix/7', 'fix/7-older', 'fix/7'])
  })

  test.each([
    { because: 'is not reserved for a run that waits', spec: { secrets: ['absent'] }, is: 'fix/7' },
    {
      because: 'is not reserved for a run with a later step that waits',
      spec: workflow({ name: 's1' }, { name: 's2', implementationSpecRef: { name: 'absent' } }),
      is: 'fix/7',
    },
    {
      because: 'is reserved for an admitted run, whatever its next attempt waits for',
      spec: { secrets: ['absent'] },
      status: { conditions: [{ type: 'Admitted', status: 'True' }] },
      is: 'fix/7-r',
    },
  ])('$because', ({ spec, status = {}, is }) => {
    const waits = onHub({ parameters, ...spec }, { ...at('1', 'waits'), status })
    expect(givenTo(waits, run)).toEqual(['waiting', is])
  })

  test.each([
    { template: 'codex/{{issueNumber}}', branch: 'codex/7' },
    { template: '{{ repository }}/{{ stage }}', branch: 'Org/name/plan' },
    { template: 'x/{{ agentRun.name }}', branch: 'x/r' },
  ])('can use metadata and parameters without a root: $template', ({ template, branch }) => {
    const spec = { ...parameters, stage: 'plan', agentRun: 'not a root' }
    const work = vcsOf(onHub({ parameters: spec }, at('2', 'r')), [
      vcp({ defaults: { branchTemplate: template } }),
    ])
    expect(work.vcs?.status.headBranch).toBe(branch)
  })

  test('that a parameter specifies takes precedence over the template', () => {
    const named = onHub({ parameters: { repository: 'Org/name', headRef: 'mine' } })
    expect(vcsOf(named, [provider]).vcs?.status.headBranch).toBe('mine')
  })

  test('is left to the runner if neither a parameter nor the template specifies it', () => {
    expect(vcsOf(run, [vcp()]).vcs?.status).not.toHaveProperty('headBranch')
  })

  test('with an unknown path in its template is refused, and the message names the path', () => {
    expect(resolve(onHub(), [provider])).toMatchObject({
      kind: 'refused',
      reason: 'InvalidTemplate',
      message: expect.stringMatching(
        /defaults\.branchTemplate of VersionControlProvider hub: inputs\.issueNumber does not exist/,
      ),
    })
  })
})
