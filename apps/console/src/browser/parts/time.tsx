import { useNow } from './now.ts'
import { agoText, durationText, exactText } from './time-text.ts'

/** How long ago, with the exact time on hover. */
export function Ago({ at }: { readonly at: string | undefined }) {
  const now = useNow()
  const time = Date.parse(at ?? '')
  if (Number.isNaN(time)) return <span className="quiet">–</span>
  return (
    <time dateTime={at} title={exactText(time)}>
      {agoText(now - time)}
    </time>
  )
}

/** How long it took, or takes until now. */
export function Duration({
  from,
  to,
}: {
  readonly from: string | undefined
  readonly to: string | undefined
}) {
  const now = useNow()
  const start = Date.parse(from ?? '')
  if (Number.isNaN(start)) return <span className="quiet">–</span>
  const end = Date.parse(to ?? '')
  return <span>{durationText((Number.isNaN(end) ? now : end) - start)}</span>
}
