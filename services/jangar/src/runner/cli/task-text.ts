import type { RunSpec } from '../../run-contract/run-spec.ts'

/** The whole task as Markdown: text, description and acceptance criteria. */
export function taskText({ text, description, acceptanceCriteria = [] }: Implementation): string {
  const hasDescription =
    description !== undefined && description.trim() !== '' && description !== text
  const parts = [
    text.trim(),
    ...(hasDescription ? ['## Description', description.trim()] : []),
    ...(acceptanceCriteria.length > 0
      ? ['## Acceptance criteria', acceptanceCriteria.map((one) => `- ${one.trim()}`).join('\n')]
      : []),
  ]
  return `${parts.join('\n\n')}\n`
}

type Implementation = RunSpec['implementation']
