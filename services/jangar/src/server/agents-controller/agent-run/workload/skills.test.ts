import { expect, test } from 'vitest'
import { resolveWork } from '../resolve/resolve-work.ts'
import { agent, keys, portsWith, runOf } from '../resolve/testing/resolution-fixture.ts'
import { build, built, containerOf, documentsOf, provider } from './testing/built.ts'

const skills = [{ name: 'release-notes', configMapRef: { name: 'notes' } }]
const cli = { name: 'codex' }
const files = keys('ConfigMap', 'notes', 'SKILL.md', 'template.txt')

function resolutionOf(...objects: Parameters<typeof portsWith>[0]) {
  const run = runOf()
  const resolution = resolveWork(run, undefined, portsWith([...objects, run]))
  return resolution.kind === 'resolved' ? resolution.work.notes.join() : resolution.message
}

test('skills of an agent are mounted read-only, outside of the repository', () => {
  const objects = built(runOf(), [agent({ skills }), provider({ cli }), files])
  expect(objects.job.spec.template.spec.volumes).toContainEqual({
    name: 'agents-skill-0',
    configMap: { name: 'notes' },
  })
  expect(containerOf(objects).volumeMounts).toContainEqual({
    name: 'agents-skill-0',
    mountPath: '/workspace/.agent-skills/release-notes',
    readOnly: true,
  })
  expect(documentsOf(objects).runner.skills).toEqual([{ name: 'release-notes' }])
})

test('a run waits for the ConfigMap of a skill and for its file', () => {
  const missing = /ConfigMap notes .*\(referred to by its agent\)/
  expect(resolutionOf(agent({ skills }), provider({ cli }))).toMatch(missing)
  const other = keys('ConfigMap', 'notes', 'skill.md')
  expect(resolutionOf(agent({ skills }), provider({ cli }), other)).toMatch(/no key SKILL\.md/)
})

test('a provider without a cli gets no skills, which is noted', () => {
  expect(resolutionOf(agent({ skills }), provider({}))).toBe(
    'the agent has no skills: AgentProvider codex has no cli',
  )
  const objects = built(runOf(), [agent({ skills }), provider({})])
  expect(JSON.stringify(objects.job)).not.toContain('agents-skill')
})

test('a run cannot mount something of its own in the place of a skill', () => {
  const volumes = [
    { type: 'emptyDir', name: 'own', mountPath: '/workspace/.agent-skills/release-notes' },
  ]
  const refused = build(runOf({ workload: { volumes } }), [
    agent({ skills }),
    provider({ cli }),
    files,
  ])
  expect(refused).toMatchObject({ kind: 'refused', reason: 'InvalidRuntimeConfig' })
})
