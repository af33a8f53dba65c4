/* escape - which bytes of a text are escape sequences of a terminal (ECMA-48) */
#ifndef ESCAPE_H
#define ESCAPE_H

enum escape {
	ESCAPE_NONE,    /* plain text */
	ESCAPE_BEGUN,   /* behind ESC */
	ESCAPE_CONTROL, /* behind ESC [: parameters, then one final byte */
	ESCAPE_STRING,  /* behind ESC ] and its kin, up to BEL or ESC \ */
	ESCAPE_ENDING   /* behind ESC within one */
};

/* Where the next byte stands, when C stands where FROM says. C is text when it goes from ESCAPE_NONE to ESCAPE_NONE. */
enum escape escape_step(enum escape from, char c);

#endif
