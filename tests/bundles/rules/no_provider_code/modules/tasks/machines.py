"""Where tasks run that are too large for here."""


def start(image):
    import docker

    return docker.from_env().containers.run(image, detach=True)
