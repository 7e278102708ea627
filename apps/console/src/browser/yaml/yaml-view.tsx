import type { ApiObject } from '@agents/client'
import { useMemo } from 'react'
import { CopyButton } from '../parts/copy-button.tsx'
import { Plain } from '../parts/plain.tsx'
import { yamlOf } from './yaml-text.ts'

/** An object as YAML, without what only the API server reads. */
// biome-ignore lint/style/noDefaultExport: React loads it when it is first shown.
export default function YamlView({ object }: { readonly object: ApiObject }) {
  const text = useMemo(() => yamlOf(object), [object])
  return (
    <section className="yaml" aria-label="YAML">
      <div className="section-head">
        <CopyButton text={text} label="Copy" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className="code" tabIndex={0}>
        <Plain text={text} />
      </pre>
    </section>
  )
}
