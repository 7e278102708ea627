import { describe, expect, test } from 'vitest'
import { type RunForm, readDraft, requestOf, writeDraft } from './run-draft.ts'

const form: RunForm = {
  kind: 'AgentRun',
  namespace: 'agents',
  name: '',
  of: 'scripted',
  text: 'Greet\nthe reader',
  parameters: { mode: 'slow' },
}

describe('a draft of a run', () => {
  test('is what the form says, and the other way round', () => {
    const text = writeDraft({}, form)
    expect(readDraft(text).form).toEqual(form)
    expect(requestOf(text)).toEqual({
      kind: 'AgentRun',
      namespace: 'agents',
      spec: {
        agentRef: { name: 'scripted' },
        implementation: { inline: { text: 'Greet\nthe reader' } },
        runtime: { type: 'job' },
        parameters: { mode: 'slow' },
      },
    })
  })

  test('keeps what only its YAML says', () => {
    const edited = `${writeDraft({}, form)}  retries: 3\n`
    const { draft } = readDraft(edited)
    const next = writeDraft(draft, { ...form, of: 'writer', name: 'one' })
    expect(requestOf(next)).toMatchObject({
      name: 'one',
      spec: { agentRef: { name: 'writer' }, retries: 3, runtime: { type: 'job' } },
    })
  })

  test('of another kind begins again', () => {
    const { draft } = readDraft(writeDraft({}, form))
    const next = writeDraft(draft, { ...form, kind: 'ToolRun', of: 'curl' })
    expect(requestOf(next)).toEqual({
      kind: 'ToolRun',
      namespace: 'agents',
      spec: { toolRef: { name: 'curl' }, parameters: { mode: 'slow' } },
    })
  })

  test.each(['', '[]', 'a: [', 'kind: Secret\nspec: {}', 'kind: AgentRun', '!!js/function x', '1'])(
    'is not sent if it is %j',
    (text) => {
      expect(requestOf(text)).toBeUndefined()
    },
  )

  test('with values of other forms is read as text', () => {
    const text =
      'kind: AgentRun\nmetadata: {name: 7}\nspec: {agentRef: [], parameters: {a: 1, b: null}}'
    expect(readDraft(text).form).toMatchObject({ name: '7', of: '', parameters: { a: '1', b: '' } })
  })
})
