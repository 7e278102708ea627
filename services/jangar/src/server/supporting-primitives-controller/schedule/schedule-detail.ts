import type { Schedule } from '@agents/jangar-api'

type Status = NonNullable<Schedule['status']>

/** What the gates of a Schedule add to its status. `undefined` removes a field. */
export type ScheduleDetail = { -readonly [Name in keyof Status]?: Status[Name] | undefined }
