import { visibleText } from './visible-text.ts'

/** Text of others: names, messages, prompts. */
export function Plain({ text }: { readonly text: string | undefined }) {
  return <bdi>{visibleText(text ?? '')}</bdi>
}
