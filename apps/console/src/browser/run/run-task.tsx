import { CopyButton } from '../parts/copy-button.tsx'
import { Plain } from '../parts/plain.tsx'
import type { RunObject } from '../parts/run-object.ts'

/** What the run was asked to do. */
export function RunTask({ run }: { readonly run: RunObject }) {
  const { spec, status } = run
  const { text } = spec.implementation?.inline ?? {}
  const values = (title: string, map: Readonly<Record<string, string>> | undefined) =>
    map !== undefined && Object.keys(map).length > 0 ? (
      <section>
        <h2>{title}</h2>
        <ValueTable values={map} />
      </section>
    ) : null
  return (
    <div className="task">
      {text !== undefined && <LongText title="Prompt" text={text} />}
      {spec.implementationSpecRef?.name !== undefined && (
        <p>
          The work of ImplementationSpec <Plain text={spec.implementationSpecRef.name} />.
        </p>
      )}
      {spec.systemPrompt !== undefined && (
        <LongText title="System prompt" text={spec.systemPrompt} />
      )}
      {values('Parameters', spec.parameters)}
      {status.summary !== undefined && <LongText title="Last message" text={status.summary} />}
      {values('Outputs', status.outputs)}
    </div>
  )
}

function LongText({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <section>
      <div className="section-head">
        <h2>{title}</h2>
        <CopyButton text={text} label="Copy" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className="long-text" tabIndex={0}>
        <Plain text={text} />
      </pre>
    </section>
  )
}

function ValueTable({ values }: { readonly values: Readonly<Record<string, string>> }) {
  return (
    <table className="values">
      <tbody>
        {Object.entries(values).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">
              <Plain text={name} />
            </th>
            <td>
              <Plain text={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
