import { describe, expect, test } from 'vitest'
import { type EventValues, filledSpec, templateProblem } from './event-template.ts'
import type { Trigger } from './trigger-event.ts'

function trigger(template: object): Trigger {
  return { name: 'label', event: 'Labelled', label: 'x', template } as unknown as Trigger
}

function agentRun(spec: object, metadata?: object): Trigger {
  const given = { agentRef: { name: 'coder' }, runtime: { type: 'job' }, ...spec }
  return trigger({ kind: 'AgentRun', ...(metadata && { metadata }), spec: given })
}

function orchestrationRun(spec: object): Trigger {
  return trigger({ kind: 'OrchestrationRun', spec: { orchestrationRef: { name: 'g' }, ...spec } })
}

const title = '{{ event.title }}'

describe('an event decides nothing but texts', () => {
  test.each([
    { where: 'spec.agentRef.name', given: agentRun({ agentRef: { name: title } }) },
    { where: 'spec.secrets[0]', given: agentRun({ secrets: [title] }) },
    { where: 'spec.workload.image', given: agentRun({ workload: { image: `x/${title}` } }) },
    {
      where: 'spec.runtime.config.serviceAccount',
      given: agentRun({ runtime: { config: { serviceAccount: title } } }),
    },
    { where: 'spec.systemPrompt', given: agentRun({ systemPrompt: title }) },
    { where: 'spec.systemPromptRef.name', given: agentRun({ systemPromptRef: { name: title } }) },
    { where: 'spec.vcsRef.name', given: agentRun({ vcsRef: { name: title } }) },
    {
      where: 'spec.policy.approvalPolicyRef.name',
      given: agentRun({ policy: { approvalPolicyRef: { name: title } } }),
    },
    {
      where: 'spec.implementationSpecRef.name',
      given: agentRun({ implementationSpecRef: { name: title } }),
    },
    {
      where: 'spec.implementation.inline.vcsRef.name',
      given: agentRun({ implementation: { inline: { vcsRef: { name: title } } } }),
    },
    {
      where: 'spec.workflow.steps[0].workload.image',
      given: agentRun({ workflow: { steps: [{ workload: { image: title } }] } }),
    },
    {
      where: 'spec.workflow.steps[0].name',
      given: agentRun({ workflow: { steps: [{ name: title }] } }),
    },
    { where: 'metadata.labels.team', given: agentRun({}, { labels: { team: title } }) },
    { where: 'metadata.annotations.note', given: agentRun({}, { annotations: { note: title } }) },
    {
      where: 'spec.orchestrationRef.name',
      given: orchestrationRun({ orchestrationRef: { name: title } }),
    },
    { where: 'spec.deliveryId', given: orchestrationRun({ deliveryId: title }) },
    // An OrchestrationRun has no such field, and one of that name gets no event.
    {
      where: 'spec.implementation.inline.text',
      given: orchestrationRun({ implementation: { inline: { text: title } } }),
    },
    {
      where: 'spec.parameters.nested.deep',
      given: agentRun({ parameters: { nested: { deep: title } } }),
    },
    { where: `spec.parameters.${title}`, given: agentRun({ parameters: { [title]: 'x' } }) },
    {
      where: 'spec.agentRef.name',
      given: agentRun({ agentRef: { name: '{{event.repository}}' } }),
    },
    {
      where: 'spec.agentRef.name',
      given: agentRun({ agentRef: { name: '{{\n event.repository' } }),
    },
  ])('refused with its field: $where', ({ where, given }) => {
    expect(templateProblem(given)).toBe(
      `spec.triggers[label].template.${where}: an event may only be used in parameters and, of an AgentRun, in implementation.inline.text`,
    )
  })

  test.each([
    'repository',
    'repo',
    'head',
    'headBranch',
    'base',
    'baseRef',
    'issueNumber',
    'model',
    'agentRef',
  ])('the parameter %s decides where the work is done', (name) => {
    for (const given of [agentRun, orchestrationRun]) {
      expect(templateProblem(given({ parameters: { [name]: title } }))).toContain(
        `template.spec.parameters.${name}: the parameter decides where the work is done; event.title is`,
      )
      const checked = { parameters: { [name]: '{{ event.repository }}-{{ event.number }}' } }
      expect(templateProblem(given(checked))).toBeUndefined()
    }
  })

  test.each([
    { text: '{{ event.password }}', why: /event.password does not exist; use event.type, / },
    { text: '{{ event.title.length }}', why: /event.title.length does not exist/ },
    { text: '{{ event }}', why: /event does not exist/ },
    { text: '{{ event.title }} {{ agent.env }}', why: /agent.env does not exist/ },
    { text: '{{ event.title', why: /is not closed/ },
    { text: '{{ event.title | upper }}', why: /is not a path/ },
  ])('a template that cannot be filled in is refused: $text', ({ text, why }) => {
    expect(templateProblem(agentRun({ parameters: { title: text } }))).toMatch(why)
  })

  test('an OrchestrationRun of a trigger continues no other one', () => {
    expect(templateProblem(orchestrationRun({ resumeFrom: { name: 'x' } }))).toMatch(/resumeFrom/)
  })
})

const event: EventValues = {
  ...{ type: 'Labelled', actor: 'maintainer', repository: 'owner/app', number: '7' },
  ...{ externalId: 'owner/app#7', text: '', title: 'Fix', body: 'It is broken.' },
  ...{ url: 'https://git.test/7', labels: 'a, b', branch: '', base: '' },
  ...{ commit: '', check: '' },
}

describe('what an event contains stays a text', () => {
  test('where a template has it', () => {
    const spec = {
      parameters: { subject: '#{{ event.number }} {{event.title}}', kept: '{{ other.thing }}' },
      implementation: { inline: { text: 'Do:\n{{ event.body }}' } },
      workflow: { steps: [{ name: 'a', parameters: { by: '{{ event.actor }}' } }] },
    }
    const given = agentRun(spec)
    expect(templateProblem(given)).toBeUndefined()
    expect(filledSpec(given.template, event)).toMatchObject({
      agentRef: { name: 'coder' },
      parameters: { subject: '#7 Fix', kept: '{{ other.thing }}' },
      implementation: { inline: { text: 'Do:\nIt is broken.' } },
      workflow: { steps: [{ name: 'a', parameters: { by: 'maintainer' } }] },
    })
  })

  test.each([
    '{{ event.body }}',
    '{{ parameters.secret }}',
    '$(HOME) `id` "; rm -rf /',
    '{{ "x" }}',
  ])('it is not evaluated: %s', (text) => {
    const given = orchestrationRun({ parameters: { subject: '<{{ event.title }}>' } })
    const { parameters } = filledSpec(given.template, { ...event, title: text })
    expect(parameters).toEqual({ subject: `<${text}>` })
  })

  test.each([
    { because: 'bytes of ASCII', text: 'x'.repeat(1_000_000), bytes: 2048 },
    { because: 'characters of four bytes', text: `x${'🐛'.repeat(600)}`, bytes: 2045 },
    { because: 'halves of characters', text: '\ud83d'.repeat(1000), bytes: 2046 },
  ])('a parameter is bounded: $because', ({ text, bytes }) => {
    const given = orchestrationRun({ parameters: { subject: title } })
    const { parameters } = filledSpec(given.template, { ...event, title: text })
    const { subject } = parameters as { subject: string }
    expect(Buffer.byteLength(subject)).toBe(bytes)
    expect(subject.isWellFormed()).toBe(true)
  })

  test('a prompt is bounded, and has no control characters', () => {
    const given = agentRun({
      implementation: { inline: { text: '{{ event.body }}{{ event.body }}' } },
    })
    const body = `a\u0000\u001b[31m\n\t${'x'.repeat(100_000)}`
    const { implementation } = filledSpec(given.template, { ...event, body })
    const { text } = (implementation as { inline: { text: string } }).inline
    expect(text.startsWith('a  [31m\n\txx')).toBe(true)
    expect(text).toHaveLength(131_072)
  })
})
