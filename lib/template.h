/* template - the verb that has E2B build a template from the image's recipe */
#ifndef TEMPLATE_H
#define TEMPLATE_H

/* `sbx-e2b template`: its options, its work, its line of JSON. The verb is the only operand. Returns the exit status. */
int template_main(int argc, char *argv[]);

#endif
