export { notificationKindNames, notificationKinds } from './kinds.ts';
export type { NotificationKind } from './kinds.ts';
export { notificationLimits } from './limits.ts';
export { addNotifications, lastNotification, readNotifications, renameFormulaOfNotifications } from './notification.ts';
export type { NewNotification, Notification, WatchedName } from './notification.ts';
