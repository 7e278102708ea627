import { useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

/** A longer text is not shown when somebody points at the button. */
const longestTitle = 300

/** Copies a text, and says whether that worked. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, setOutcome] = useState<string>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), 2000)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied'),
      () => setOutcome('The browser does not allow it'),
    )
  }
  const title = text.length > longestTitle ? undefined : text
  return (
    <button type="button" className="button plain" title={title} onClick={copy}>
      <Icon name="copy" size={14} />
      <span aria-live="polite">{outcome ?? label}</span>
    </button>
  )
}
