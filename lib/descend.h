/* descend - the living descendants of this process */
#ifndef DESCEND_H
#define DESCEND_H

/*
 * Send SIGNAL (0: none) to every living descendant of this process and return how many there were; zombies do not count. A
 * process is held by a pidfd while it is checked to be still the one that was seen, so no stranger that got its number is hit.
 * With /proc unreadable the answer is 1: not being able to look is no proof of absence.
 */
int descend_signal(int signal);

#endif
