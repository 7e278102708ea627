import { describe, expect, test } from 'vitest'
import { digestOf } from '../../../../run-contract/document-digests.ts'
import { keys, objectOf, runOf } from '../resolve/testing/resolution-fixture.ts'
import { build, built, containerOf, envOf, filesOf, provider } from './testing/built.ts'

const variable = 'AGENT_DOCUMENT_DIGESTS'
const text = 'x'.repeat(9000)
const large = runOf({ implementation: { inline: { text } }, systemPrompt: 'Be brief.' })
const inputFiles = [{ path: 'a $(VCS_TOKEN).md', content: 'one' }]

describe('documents in ConfigMaps', () => {
  test('have digests in the Job, which agent-runner compares', () => {
    const objects = built(large, [provider({ inputFiles })])
    const spec = filesOf(objects, 'agents-spec')
    const value = String(envOf(objects)[variable])
    // Kubernetes expands references in variables.
    expect(value).toContain('$$(VCS_TOKEN)')
    expect(JSON.parse(value.replaceAll('$$', '$'))).toEqual({
      '/workspace/run.json': digestOf(spec['run.json'] ?? ''),
      '/workspace/agent-runner.json': digestOf(spec['agent-runner.json'] ?? ''),
      '/workspace/.codex/system-prompt.txt': digestOf('Be brief.'),
      '/workspace/a $(VCS_TOKEN).md': digestOf('one'),
    })
    expect(objects.job.spec.template.spec.initContainers).toBeUndefined()
  })

  test('have digests that neither the provider nor the agent can replace', () => {
    const forged = [provider({ envTemplate: { [variable]: '{}' } })]
    const objects = built(large, forged)
    const named = (containerOf(objects).env ?? []).filter(({ name }) => name === variable)
    expect(named).toHaveLength(1)
    expect(named[0]?.value).toContain('/workspace/run.json')
  })

  test('are verified and copied before a program starts that runs without agent-runner', () => {
    const objects = built(large, [provider({ binary: '/bin/sh', inputFiles })])
    const pod = objects.job.spec.template.spec
    const [init] = pod.initContainers ?? []
    expect(init).toMatchObject({ name: 'documents', command: ['agent-checkout', 'documents'] })
    const plan = init?.env?.find(({ name }) => name === 'AGENT_DOCUMENTS_PLAN')?.value ?? ''
    const [specMap] = objects.configMaps
    const planned = (file: string, content = '') => ({
      from: `/var/run/agents/documents-source/${file}`,
      to: `/var/run/agents/documents/${file}`,
      digest: digestOf(content),
    })
    expect(JSON.parse(plan)).toEqual([
      planned('agents-spec/run.json', specMap?.data?.['run.json']),
      planned('agents-spec/agent-runner.json', specMap?.data?.['agent-runner.json']),
      planned('agents-spec/system-prompt.txt', 'Be brief.'),
      planned('agents-inputs/input-0', 'one'),
    ])
    // The agent's container mounts no ConfigMap: the kubelet might have read a later one for it.
    const mounted = new Set(containerOf(objects).volumeMounts?.map(({ name }) => name))
    const ofMaps = (pod.volumes ?? []).filter((volume) => 'configMap' in volume)
    expect(ofMaps.map(({ name }) => name)).toEqual(['agents-spec-source', 'agents-inputs-source'])
    for (const { name } of ofMaps) expect(mounted).not.toContain(name)
    expect(envOf(objects)).not.toHaveProperty(variable)
  })

  test('cannot be verified for such a program without an image of the platform', () => {
    const own = runOf({ ...large.spec, workload: { image: 'own' } })
    const env = { JANGAR_AGENT_RUNNER_IMAGE: '', JANGAR_AGENT_IMAGE: '' }
    expect(build(own, [provider({ binary: '/bin/sh' })], { env })).toMatchObject({
      kind: 'refused',
      reason: 'MissingWorkloadImage',
    })
  })
})

test.each(['agent-runner', '/bin/sh'])('small documents of %s need no digests', (binary) => {
  const objects = built(runOf(), [objectOf('AgentProvider', 'codex', { binary, inputFiles })])
  expect(JSON.stringify(objects.job)).not.toContain(variable)
  expect(objects.job.spec.template.spec.initContainers).toBeUndefined()
})

describe('ConfigMaps that an approval covers', () => {
  const prompt = runOf({ systemPromptRef: { kind: 'ConfigMap', name: 'style', key: 'text' } })
  const style = keys('ConfigMap', 'style', 'text', 'other')
  const digests = { 'system-prompt.txt': digestOf('Be kind.') }
  const verified = [
    {
      ...{ volume: 'agents-system-prompt', configMap: 'style', digests },
      item: { key: 'text', path: 'system-prompt.txt' },
    },
  ]

  test.each(['agent-runner', '/bin/sh'])('are verified and copied for %s', (binary) => {
    const objects = built(prompt, [provider({ binary }), style], { verified })
    const pod = objects.job.spec.template.spec
    const [init] = pod.initContainers ?? []
    const plan = init?.env?.find(({ name }) => name === 'AGENT_DOCUMENTS_PLAN')?.value ?? ''
    const file = 'agents-system-prompt/system-prompt.txt'
    expect(JSON.parse(plan)).toEqual([
      {
        from: `/var/run/agents/documents-source/${file}`,
        to: `/var/run/agents/documents/${file}`,
        digest: digestOf('Be kind.'),
      },
    ])
    const volumes = new Map((pod.volumes ?? []).map((volume) => [volume.name, volume]))
    expect(volumes.get('agents-system-prompt')).toEqual({
      ...{ name: 'agents-system-prompt', emptyDir: {} },
    })
    expect(volumes.get('agents-system-prompt-source')).toMatchObject({
      configMap: { name: 'style' },
    })
    const mounted = containerOf(objects).volumeMounts?.map(({ name }) => name)
    expect(mounted).not.toContain('agents-system-prompt-source')
  })

  test('cannot be verified without an image of the platform, or with too many keys', () => {
    const own = runOf({ ...prompt.spec, workload: { image: 'own' } })
    const env = { JANGAR_AGENT_RUNNER_IMAGE: '', JANGAR_AGENT_IMAGE: '' }
    expect(build(own, [provider({}), style], { env, verified })).toMatchObject({
      ...{ kind: 'refused', reason: 'MissingWorkloadImage' },
    })
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [`file-${at}`, digestOf('x')]),
    )
    const skill = [{ volume: 'agents-skill-0', configMap: 'many', digests: many }]
    expect(build(prompt, [provider({}), style], { verified: skill })).toMatchObject({
      ...{ kind: 'refused', reason: 'WorkTooLarge' },
    })
  })
})
